/**
 * Whether this run also includes the tests that boot, cut connections or kill many times (`OVERWORLD_NIGHTLY=1`).
 * Other runs check the same parts with fewer cases.
 */
export const nightly = process.env['OVERWORLD_NIGHTLY'] === '1';
