/* stub: no device tree. */
