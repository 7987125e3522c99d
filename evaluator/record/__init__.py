"""
The typed record of a run.

In come measured arms and what was observed at the time; out comes a results folder, and from
it a `Record` again. Read `model` and `contrasts/model`, then `make` and `files`; `facts` answers
what every reader asks of a record, `frames` gives it as tables, for notebooks too. `record.md`
is the page of the format, with its schema beside it.
"""
