"""What a run calls, one module for each kind of target.

A target is called once for each delivery and waits for the end; whatever happens is an `Outcome`, never an exception.
What AWS answers is judged by one table, in `classify`.
"""
