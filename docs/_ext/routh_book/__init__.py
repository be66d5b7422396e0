"""The machinery of the site: pages whose code is carried out when it is built.

How to write a page is told in `docs/_ext/README.md`. `cells` reads what a page executes, `executing`
carries it out, `keeping` keeps outcomes between builds, `directives` shows them, `formulas` sets TeX,
and `site` is what Sphinx loads.
"""
