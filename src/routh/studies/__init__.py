"""Studies: verbs over more points than memory or one machine holds, kept in a store as they grow."""
