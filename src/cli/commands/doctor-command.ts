import type { Command } from 'commander';
import { finish } from '../cli-error.ts';

/** `shellscope doctor` */
export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('look at what Shellscope needs of this machine, and say how to mend what is missing')
    .option('--json', 'print the findings as a JSON array', false)
    .addHelpText('after', '\nExits with 1 when something is missing that is needed. Changes nothing.')
    .action(({ json }: { readonly json: boolean }) =>
      finish(async () => {
        const { doctor } = await import('../doctor.ts');
        return doctor(json);
      }),
    );
}
