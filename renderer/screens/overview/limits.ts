/** Share of the RAM above which the next service may not fit. */
export const RAM_TIGHT = 0.9;
