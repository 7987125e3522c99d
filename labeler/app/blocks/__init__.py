"""
Results of the other packages as blocks of a page: agreement, sample, held-out slice, flips.

In: what those packages return. Out: blocks for `frame/components`. Each module stands alone.
"""
