import type { MakeCommand } from 'flyball/internal';
import { compareCommand } from './evals-compare.js';
import { fetchCommand } from './evals-fetch.js';
import { listEvalsCommand } from './evals-list.js';
import { regradeCommand } from './evals-regrade.js';
import { replayCommand } from './evals-replay.js';
import { reportCommand } from './evals-report.js';
import { resumeEvalsCommand } from './evals-resume.js';
import { runEvalsCommand } from './evals-run.js';
import { showEvalsCommand } from './evals-show.js';
import { submitCommand } from './evals-submit.js';
import { verifyEvalsCommand } from './evals-verify.js';

/** The commands of `flyball evals`. They bring the whole harness along, so nobody else loads this file. */
export const EVALS_COMMANDS: readonly MakeCommand[] = [
  listEvalsCommand,
  runEvalsCommand,
  resumeEvalsCommand,
  reportCommand,
  showEvalsCommand,
  compareCommand,
  regradeCommand,
  replayCommand,
  submitCommand,
  fetchCommand,
  verifyEvalsCommand,
];
