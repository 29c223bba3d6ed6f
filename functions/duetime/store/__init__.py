"""The stores: `memory` for the local server, tests and users' own tests, `dynamodb` for every deployment.

Both keep the words of duetime.ports and pass one contract suite; nothing above this package knows which one it has.
"""
