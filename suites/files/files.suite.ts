import { scenario } from '../../drive/scenario/scenario.ts';
import { isCutShort } from '../../exchange/http/content.ts';
import { fileFor, largeFile, uploadFileWith } from './samples.ts';

/** A name with characters of two to four bytes, and one character of two code points. */
const LETTERS = 'Gr\u{FC}\u{DF}e \u{6771}\u{4EAC} \u{1F389} e\u{301}';

/** Whether a name that does not end in .jsonl is rejected for a purpose of JSON lines, and a non-ASCII name is kept. */
export const filesNamesScenario = scenario({
  name: 'files.names',
  operations: ['createFile', 'retrieveFile', 'listFiles'],
  run: async (context) => {
    const named = {
      file: Buffer.from('text'),
      filename: `${LETTERS} ${context.tag}.txt`,
      type: 'text/plain',
    };
    const path = { file_id: await uploadFileWith(context, 'assistants', named) };
    await context.call('retrieveFile', { path });
    await context.call('listFiles', { query: { purpose: 'assistants' } });
    for (const purpose of ['fine-tune', 'batch'] as const) {
      const { file } = fileFor(purpose, context.tag);
      const part = { name: 'file', file, filename: `${context.tag}.txt`, type: 'text/plain' };
      await context.call('createFile', { form: [{ name: 'purpose', value: purpose }, part] });
    }
  },
});

/** More bytes than the buffers between a client and a service hold. */
const MORE_THAN_BUFFERED = 80 * 1024 * 1024;

/**
 * The largest file, and one that is a byte larger, under both definitions of a megabyte. Half a gigabyte of
 * training lines is streamed, never held in memory.
 */
export const filesLargeScenario = scenario({
  name: 'files.large',
  operations: ['createFile'],
  cost: ['large'],
  run: async (context) => {
    const [most, beyond] = [512_000_000, 512 * 1024 * 1024 + 1];
    const probe = { pointer: 'file.file', keyword: 'maxBytes' };
    const valid = 'createFile:file.file#maxBytes.valid';
    const violation = 'createFile:file.file#maxBytes.violation';
    const purpose = { name: 'purpose', value: 'fine-tune' };
    const form = (bytes: number) => [purpose, largeFile(`${context.tag}.jsonl`, bytes)];
    await context.call('createFile', {
      form: form(most),
      probe: { ...probe, id: valid, side: 'valid', control: null },
    });
    const uploadBeyond = (bytes: number) =>
      context.call('createFile', {
        form: form(bytes),
        probe: { ...probe, id: violation, side: 'violation', control: valid },
      });
    const { exchange } = await uploadBeyond(beyond);
    // A service that closes the connection may have read just enough to refuse the file. More bytes than buffers hold show whether it reads on.
    if (exchange.end.how === 'upstream-reset' && !isCutShort(exchange.request))
      await uploadBeyond(beyond + MORE_THAN_BUFFERED);
  },
});
