"""The pages on which people judge, draw a sample, watch progress and freeze."""
