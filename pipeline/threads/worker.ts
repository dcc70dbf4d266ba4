import { Worker } from 'node:worker_threads';

/**
 * Starts a file of this package in a new worker thread. `file`: its URL without the suffix. From source the thread has to
 * load TypeScript first, as the main thread did at its start.
 */
export function startWorker(file: URL, workerData: unknown): Worker {
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL(`${file.href}.js`), { workerData });
  const [loader, entry] = [import.meta.resolve('tsx/esm/api'), `${file.href}.ts`].map((url) =>
    JSON.stringify(url),
  );
  // tsx registers its loader per thread, so the entry is imported by a script that registers it first.
  const code = `import(${loader}).then(({ register }) => { register(); return import(${entry}); });`;
  return new Worker(code, { eval: true, workerData });
}
