"""The documentation site: the pages of docs, and reference pages made of the code.

`python -m tools.docs_site` puts all sources into build/site-source, builds build/site of them with
Sphinx, and checks every link of the result. `arranged` copies the Markdown pages, in the order of
docs/README.md; `python_names`, `policy_fields`, `commands` and `endpoints` write the reference.
"""
