// The scenarios whose bodies need code; the others are in `scenarios.json`.
import { scenario } from '../../drive/scenario/scenario.ts';
import { askingScenario } from '../generate/asking.ts';
import { dataUrl, pngFile } from '../generate/sample-files.ts';

const CHAT = 'createChatCompletion';

const shape = [
  { type: 'text', text: 'Which shape is this? One word.' },
  { type: 'image_url', image_url: { url: dataUrl(pngFile('square.png', { width: 32, height: 32 })) } },
];

export const images = askingScenario('chat.images', {
  operation: CHAT,
  role: 'vision',
  ask: 'both ways, repeated',
  bodies: [{ messages: [{ role: 'user', content: shape }], max_tokens: 16 }],
});

/** A stream contains usage only if it is requested. */
export const chatStreamUsageScenario = scenario({
  name: 'chat.stream.usage',
  operations: [CHAT],
  roles: ['chat'],
  run: async (context) => {
    const messages = [{ role: 'user', content: 'Say assay.' }];
    const body = { model: context.model('chat'), messages, max_tokens: 8, stream: true };
    await context.acrossSeconds(CHAT, { body });
    await context.call(CHAT, { body: { ...body, stream_options: { include_usage: false } } });
    await context.call(CHAT, { body: { ...body, stream_options: { include_usage: true }, n: 2 } });
  },
});
