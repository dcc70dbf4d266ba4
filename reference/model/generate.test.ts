import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { generateReply, limitTokens } from './generate.ts';
import { tokenId } from './tokens.ts';

const NO_LIMITS = { stop: [], maxTokens: null, bias: {} };

describe('limitTokens', () => {
  it('returns a prefix without stop sequences and with at most the maximum number of tokens', () => {
    const stops = fc.array(fc.string({ minLength: 1, maxLength: 3 }), { maxLength: 4 });
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), stops, fc.nat(30), (original, stop, maxTokens) => {
        const reply = limitTokens(original, { stop, maxTokens, bias: {} });
        const shortened = reply.tokens.join('');
        expect(original.startsWith(shortened)).toBe(true);
        for (const mark of stop) expect(shortened).not.toContain(mark);
        expect(reply.completionTokens).toBeLessThanOrEqual(maxTokens);
      }),
    );
  });

  it('omits a token with a bias of -100', () => {
    const banned = limitTokens('in the end the', { ...NO_LIMITS, bias: { [tokenId(' the')]: -100 } });
    expect(banned.tokens.join('')).toBe('in end');
  });

  it('returns nothing but a token with a bias of 100', () => {
    const forced = limitTokens('anything', { ...NO_LIMITS, maxTokens: 3, bias: { [tokenId(' of')]: 100 } });
    expect(forced).toMatchObject({ tokens: [' of', ' of', ' of'], finish: 'length' });
  });
});

describe('a tool', () => {
  const reply = (text: string, toolChoice: 'auto' | 'required' | 'none', maxTokens: number | null = null) =>
    generateReply({
      ...NO_LIMITS,
      maxTokens,
      turns: [{ role: 'user', text, images: 0 }],
      tools: ['get_current_weather', 'sendMail'].map((name) => ({ name, description: '', parameters: {} })),
      toolChoice,
      isJson: false,
      variation: 0,
    });
  const listCalledTools = (...request: Parameters<typeof reply>) =>
    reply(...request).calls.map(({ name }) => name);

  it('is called if the message contains its name or a typical word of it', () => {
    expect(listCalledTools('How is the weather?', 'auto')).toEqual(['get_current_weather']);
    expect(listCalledTools('Send a mail about the weather', 'auto')).toEqual([
      'get_current_weather',
      'sendMail',
    ]);
    expect(listCalledTools('What is the current time?', 'auto')).toEqual([]);
  });

  it('is called if required, whatever the message is', () => {
    expect(listCalledTools('Nothing of that', 'required')).toEqual(['get_current_weather']);
  });

  it('is not called with the choice none', () => {
    expect(listCalledTools('How is the weather?', 'none')).toEqual([]);
  });

  it('that is left out because the calls before it reach the token limit makes the reply end by length', () => {
    const { completionTokens } = reply('How is the weather?', 'auto');
    const limited = reply('Send a mail about the weather', 'auto', completionTokens);
    expect(limited.calls.map(({ name }) => name)).toEqual(['get_current_weather']);
    expect(limited).toMatchObject({ finish: 'length', completionTokens });
  });
});
