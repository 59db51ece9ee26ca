"""Server and plugin both carry these modules.
The modules write a schema as a script, find hidden characters in a text, compare the words of two prompts, make the
key of a kept score, and find the gate that a change needs.

One source for two distributions: the plugin has it as `pytest_ratiba.portable`, the server as `apps.core.portable` (a
link in the checkout; each wheel carries the files under its own name, and a copied folder `plugin/` is whole). So these
modules use the standard library alone, and name each other relatively.
"""
