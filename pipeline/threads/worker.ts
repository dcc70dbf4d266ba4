import { Worker } from 'node:worker_threads';

/** `file`: URL without the suffix. When assay runs from source, the thread must first register a TypeScript loader. */
export function startWorker(file: URL, workerData: unknown): Worker {
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL(`${file.href}.js`), { workerData });
  const loader = JSON.stringify(import.meta.resolve('tsx/esm/api'));
  const entry = JSON.stringify(`${file.href}.ts`);
  // tsx registers per thread, so a script registers it and then imports the entry.
  const code = `import(${loader}).then(({ register }) => { register(); return import(${entry}); });`;
  return new Worker(code, { eval: true, workerData });
}

/** Sends a message and resolves with the next reply; send one at a time. Rejects if the thread fails or has ended. */
export function requestReply<Message, Reply>(worker: Worker, message: Message): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const onExit = () => onError(new Error('the worker thread has ended'));
    const detach = () => worker.off('message', onMessage).off('error', onError).off('exit', onExit);
    const onMessage = (reply: Reply): void => {
      detach();
      resolve(reply);
    };
    const onError = (error: unknown): void => {
      detach();
      reject(error);
    };
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    // A thread that has already exited emits no event.
    if (worker.threadId === -1) onExit();
    else worker.postMessage(message);
  });
}
