import { configure } from '@testing-library/svelte';

/**
 * Time limit of `findBy…` and `waitFor` (ms). Present elements are found earlier; only missing ones take the whole
 * time. The library's default of 1 s is too short on a busy machine: a dialog alone takes 60 to 300 ms, and a test
 * that fails on time leaves its dialog open for those after it.
 */
configure({ asyncUtilTimeout: 5_000 });
