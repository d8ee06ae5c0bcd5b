/** From this share of the RAM on, the next service may not fit. */
export const RAM_TIGHT = 0.9;
