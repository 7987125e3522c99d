"""
Names of measures and their values, by ir_measures.

Rankings and grades come in, a value by query goes out. Begin with `names`, which says what a
measure means here and what is refused; `values` computes.
"""
