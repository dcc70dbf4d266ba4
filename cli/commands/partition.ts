import { partition } from '../../pipeline/partial/partition.ts';
import { plural } from '../../schemas/message-text.ts';
import type { Execute } from '../options/command.ts';

export const execute: Execute<{ readonly parts: number; readonly out: string }> = async ({ args, flags }) => {
  const sizes = await partition(args, flags);
  for (const [index, size] of sizes.entries())
    process.stdout.write(`${flags.out}/${index}  ${plural(size, 'exchange')}\n`);
  return 0;
};
