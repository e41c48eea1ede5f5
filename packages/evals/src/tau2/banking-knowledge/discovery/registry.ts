import type { ToolSpec } from '../../../domains/discovery/tool-specs.js';
import { bind } from '../../python/signature.js';
import type { PyDict } from '../../python/value.js';
import type { Bank } from '../bank.js';
import type { BankTool } from '../bank-tool.js';

/** The reference's classes: their names stand in the messages of Python's argument binding. */
export type Owner = 'KnowledgeTools' | 'KnowledgeUserTools';

/** A tool with what the data say about it. */
export interface RegisteredTool {
  readonly tool: BankTool;
  readonly spec: ToolSpec;
  readonly owner: Owner;
}

export type Registry = ReadonlyMap<string, RegisteredTool>;

export function runTool({ tool, spec, owner }: RegisteredTool, bank: Bank, args: PyDict): string {
  const bound = bind(`${owner}.${spec.name}`, spec.parameters, args);
  return tool.run(bank, Object.fromEntries(bound), spec.announced);
}
