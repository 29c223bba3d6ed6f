"""The deployer's own jobs: each module here registers handlers; two samples ship with the product."""
