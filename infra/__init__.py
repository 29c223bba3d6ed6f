"""Deployment of Duetime: a CDK app (app.py) and a construct (stack.Duetime) for use in other CDK apps."""
