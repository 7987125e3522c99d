"""
What several pages show: agreement, sample and held-out slice, flips, long work.

In: what the other packages return. Out: blocks for `frame/components`. Each module stands alone.
"""
