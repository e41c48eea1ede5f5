import type { CommandPackage } from 'flyball/command';

export const commands: CommandPackage['commands'] = {
  evals: async (words) => {
    const { evalsCommand } = await import('./commands/evals.js');
    if (!words.includes('evals')) return evalsCommand;
    const { EVALS_COMMANDS } = await import('./commands/evals-commands.js'); // which bring the whole harness
    return (perform) => evalsCommand(perform, EVALS_COMMANDS);
  },
  lab: async (words) => {
    const { labCommand } = await import('./commands/lab.js');
    if (!words.includes('lab')) return labCommand;
    const { LAB_COMMANDS } = await import('./commands/lab-commands.js');
    return (perform) => labCommand(perform, LAB_COMMANDS);
  },
};
