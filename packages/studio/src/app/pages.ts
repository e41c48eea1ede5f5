import { AgentsPage } from '../agents/agents-page.js';
import { EvalsPage } from '../evals/evals-page.js';
import { InboxPage } from '../inbox/inbox-page.js';
import { WhoPage } from '../login/who-page.js';
import { PatternsPage } from '../patterns/patterns-page.js';
import { PlaygroundPage } from '../playground/playground-page.js';
import { RunPage } from '../run/run-page.js';
import { RunsPage } from '../runs/runs-page.js';
import { WorkersPage } from '../workers/workers-page.js';
import type { Page } from './page.js';

/** All pages, in the order of the menu. `key` is pressed after `g`. */
export const pages: readonly Page[] = [
  { path: '/runs', title: 'Runs', key: 'r', View: RunsPage },
  { path: '/runs/:runId', title: 'Run', View: RunPage },
  { path: '/inbox', title: 'Inbox', key: 'i', View: InboxPage },
  { path: '/inbox/:id', title: 'Inbox', View: InboxPage },
  { path: '/playground', title: 'Playground', key: 'p', View: PlaygroundPage },
  { path: '/playground/:agent', title: 'Playground', View: PlaygroundPage },
  { path: '/agents', title: 'Agents', key: 'a', View: AgentsPage },
  { path: '/patterns', title: 'Patterns', key: 'c', View: PatternsPage },
  { path: '/patterns/:id', title: 'Patterns', View: PatternsPage },
  { path: '/evals', title: 'Evaluations', key: 'e', View: EvalsPage },
  { path: '/evals/:id', title: 'Evaluations', View: EvalsPage },
  { path: '/workers', title: 'Workers', key: 'w', View: WorkersPage },
  { path: '/who', title: 'Account', View: WhoPage },
];
