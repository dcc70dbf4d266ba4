import { scenario } from '../../drive/scenario/scenario.ts';
import { isCutShort } from '../../exchange/http/content.ts';
import { fileFor, largeFile, uploadFile } from './samples.ts';

/** Contains characters of two to four bytes in UTF-8, and one of two code points. */
const NON_ASCII_NAME = 'Gr\u{FC}\u{DF}e \u{6771}\u{4EAC} \u{1F389} e\u{301}';

export const filesNamesScenario = scenario({
  name: 'files.names',
  operations: ['createFile', 'retrieveFile', 'listFiles'],
  run: async (context) => {
    const upload = {
      file: Buffer.from('text'),
      filename: `${NON_ASCII_NAME} ${context.tag}.txt`,
      type: 'text/plain',
    };
    const path = { file_id: await uploadFile(context, 'assistants', upload) };
    await context.call('retrieveFile', { path });
    await context.call('listFiles', { query: { purpose: 'assistants' } });
    for (const purpose of ['fine-tune', 'batch'] as const) {
      const { file } = fileFor(purpose, context.tag);
      const part = { name: 'file', file, filename: `${context.tag}.txt`, type: 'text/plain' };
      await context.call('createFile', { form: [{ name: 'purpose', value: purpose }, part] });
    }
  },
});

/** A size in bytes, larger than all buffers between a client and a service. */
const MORE_THAN_BUFFERED = 80 * 1024 * 1024;

/** Uploads a file that is permitted, and one that is too large, under both definitions of a megabyte. */
export const filesLargeScenario = scenario({
  name: 'files.large',
  operations: ['createFile'],
  cost: ['large'],
  run: async (context) => {
    const [maximum, tooLarge] = [512_000_000, 512 * 1024 * 1024 + 1];
    const probe = { pointer: 'file.file', keyword: 'maxBytes' };
    const valid = 'createFile:file.file#maxBytes.valid';
    const violation = 'createFile:file.file#maxBytes.violation';
    const purpose = { name: 'purpose', value: 'fine-tune' };
    const formOf = (bytes: number) => [purpose, largeFile(`${context.tag}.jsonl`, bytes)];
    await context.call('createFile', {
      form: formOf(maximum),
      probe: { ...probe, id: valid, side: 'valid', control: null },
    });
    const uploadTooLarge = (bytes: number) =>
      context.call('createFile', {
        form: formOf(bytes),
        probe: { ...probe, id: violation, side: 'violation', control: valid },
      });
    const { exchange } = await uploadTooLarge(tooLarge);
    // The service may have closed the connection once it had read enough to refuse the file; a longer file shows
    // whether it did.
    if (exchange.end.how === 'upstream-reset' && !isCutShort(exchange.request))
      await uploadTooLarge(tooLarge + MORE_THAN_BUFFERED);
  },
});
