"""The Torch backend of probly."""
