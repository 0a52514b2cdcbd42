// Placeholder removed when the parser lands.
