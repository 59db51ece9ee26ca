"""What changes gates."""
