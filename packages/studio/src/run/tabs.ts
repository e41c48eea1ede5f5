import { ConversationTab } from '../conversation/conversation-tab.js';
import { DiffTab } from '../diff/diff-tab.js';
import { firstSign, isJudgement, isNote } from '../gates/first-sign.js';
import { GatesTab } from '../gates/gates-tab.js';
import { PatternsTab } from '../patterns/patterns-tab.js';
import { PlanTab } from '../plan/plan-tab.js';
import { BudgetsTab } from './budgets-tab.js';
import { EventsTab } from './events-tab.js';
import type { Tab } from './tab.js';
import { TimelineTab } from './timeline-tab.js';

/** The ways to look at a run, in the order they are shown. */
export const tabs: readonly Tab[] = [
  { id: 'timeline', title: 'Timeline', available: () => true, View: TimelineTab },
  {
    id: 'conversation',
    title: 'Conversation',
    available: firstSign(({ event }) => event.type === 'ask-start'),
    View: ConversationTab,
  },
  { id: 'plan', title: 'Plan', available: firstSign((entry) => isNote(entry, 'plan')), View: PlanTab },
  {
    id: 'patterns',
    title: 'Patterns',
    available: firstSign(({ event }) => event.type === 'scope-start'),
    View: PatternsTab,
  },
  { id: 'gates', title: 'Gates', available: firstSign(isJudgement), View: GatesTab },
  {
    id: 'diff',
    title: 'Diff',
    available: firstSign(
      (entry) => isNote(entry, 'exit') || (entry.event.type === 'run-start' && entry.event.fork !== undefined),
    ),
    View: DiffTab,
  },
  { id: 'budgets', title: 'Budgets', available: () => true, View: BudgetsTab },
  { id: 'events', title: 'Events', available: () => true, View: EventsTab },
];
