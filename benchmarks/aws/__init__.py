"""A stand-in for DynamoDB and SQS inside this process, for figures that need neither network nor account."""
