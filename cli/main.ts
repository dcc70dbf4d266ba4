#!/usr/bin/env node
import { main } from './program.ts';

// A reader that closes the pipe (`assay list | head`) has read enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

process.exitCode = await main(process.argv.slice(2));
