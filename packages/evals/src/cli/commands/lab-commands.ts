import type { MakeCommand } from 'flyball/internal';
import { labCalibrateCommand } from './lab-calibrate.js';
import { labReportCommand } from './lab-report.js';
import { labRunCommand } from './lab-run.js';

export const LAB_COMMANDS: readonly MakeCommand[] = [labRunCommand, labReportCommand, labCalibrateCommand];
