import { partition } from '../../pipeline/partial/partition.ts';
import type { Execute } from '../options/command.ts';

interface Flags {
  readonly parts: number;
  readonly out: string;
}

export const execute: Execute<Flags> = async ({ args, flags: { parts, out } }) => {
  const sizes = await partition(args, { parts, out });
  for (const [index, size] of sizes.entries()) process.stdout.write(`${out}/${index}  ${size} exchanges\n`);
  return 0;
};
