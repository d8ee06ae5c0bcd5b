import { configure } from '@testing-library/svelte';

/**
 * Time limit of `findBy…` and `waitFor` (ms). They take the whole time only if an element is missing. The library's
 * default of 1 s is too short on a busy machine, where a dialog alone takes 60 to 300 ms. A test that exceeds the
 * time limit leaves its dialog open for the tests after it.
 */
configure({ asyncUtilTimeout: 5_000 });
