"""What server and plugin both carry: how a schema is written as a script, what is hidden in a text, when two
prompts are the same words, the key of a kept score, and what a change asks for.

One source for two distributions: the plugin has it as `pytest_ratiba.portable`, the server as `apps.core.portable` (a
link in the checkout; each wheel carries the files under its own name, and a copied folder `plugin/` is whole). So these
modules use the standard library alone, and name each other relatively.
"""
