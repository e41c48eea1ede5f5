import type { ChildSlice } from '../core/child-slice.js';
import { done } from '../core/outcome.js';
import type { Agent } from '../core/run.js';
import type { ToolRef } from '../core/tool.js';
import type { Evidence } from '../core/work.js';
import { checkCounts, checkGiven } from '../kit/options.js';
import { numbered } from '../retrieval/labelled.js';
import { tool } from '../tools/define-tool.js';
import { delegateTo, delegateTool } from '../tools/delegate-tools.js';
import { type Lookup, lookUp } from './lookup.js';

/** Options of `lookupTool`. */
export interface LookupToolOptions {
  readonly name?: string;
  readonly description?: string;
  readonly limit?: number;
  /** The part of the budget that an agent may use for one search. */
  readonly slice?: ChildSlice;
}

const ABOUT = 'Looks passages up in the documents. Not for what you already know or have looked up before.';
const QUERY = {
  type: 'object',
  properties: { query: { type: 'string', description: 'what to look for, as a question or in words' } },
  required: ['query'],
} as const;

/** Lets a model look things up: passages come back numbered, each with its source. */
export function lookupTool(lookup: Lookup, options: LookupToolOptions = {}): ToolRef<string> {
  const { name = 'look_up', description = ABOUT, limit = 5, slice = { share: 0.1 } } = options;
  checkGiven('lookupTool', { lookup });
  checkCounts('lookupTool', { limit });
  if (typeof lookup !== 'function')
    return tool({
      name,
      description,
      input: QUERY,
      effect: 'pure',
      execute: async ({ query }, { signal }) => shownTo(await lookup.retrieve(String(query), { limit, signal })),
    });
  const search: Agent<string, string> = async (run, query) => {
    const found = await lookUp(run, lookup, query, limit);
    return 'evidence' in found ? done(shownTo(found.evidence)) : found.ended;
  };
  return delegateTool({
    name,
    description,
    input: QUERY,
    delegates: ({ query }) => delegateTo(search, String(query), slice),
  });
}

const shownTo = (found: readonly Evidence[]): string => (found.length === 0 ? 'Nothing was found.' : numbered(found));
