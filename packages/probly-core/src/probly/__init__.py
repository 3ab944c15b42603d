"""probly."""
