import { configure } from '@testing-library/svelte';

/**
 * `findBy…` and `waitFor` wait for something to appear: what is never there is found missing after this time, what is there
 * costs nothing of it. The library's own second is less than a machine with other work may take to draw a dialog of ours
 * (60 to 300 ms alone), and what one test leaves open then spoils those after it. Milliseconds.
 */
configure({ asyncUtilTimeout: 5_000 });
