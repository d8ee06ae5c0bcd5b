import './zod-without-eval.ts';
import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './ui/tokens.css';
import './ui/base.css';
import { mount } from 'svelte';
import App from './app.svelte';

const target = document.getElementById('app');
if (target === null) throw new Error('index.html has no #app');
mount(App, { target });
