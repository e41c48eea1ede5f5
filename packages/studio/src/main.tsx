import { render } from 'preact';
import { App } from './app/app.js';
import { hurryOnReturn } from './live/connection.js';
import { letGoWhileHidden } from './live/streams.js';
import { startRouter } from './router/router.js';
import { startTheme } from './theme/theme.js';
import { keepTextVisible } from './ui/visible.js';
import './theme/tokens.css';
import './theme/base.css';
import './ui/ui.css';

const root = document.getElementById('studio');
if (root === null) throw new Error('The page has no place for the studio.');
keepTextVisible();
startTheme();
startRouter();
hurryOnReturn();
letGoWhileHidden();
render(<App />, root);
