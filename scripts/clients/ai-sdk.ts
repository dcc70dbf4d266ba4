import { createOpenAI } from '@ai-sdk/openai';
import {
  experimental_generateSpeech,
  experimental_transcribe,
  generateImage,
  generateObject,
  generateText,
  stepCountIs,
  streamText,
  tool,
} from 'ai';
import { z } from 'zod';

export async function runAiSdkSession(baseURL: string): Promise<void> {
  const openai = createOpenAI({ baseURL, apiKey: 'key' });
  const model = openai.chat('chat-large');
  await generateText({
    model,
    system: 'Be brief.',
    prompt: 'Say "hello"',
    temperature: 0.2,
    maxOutputTokens: 20,
    stopSequences: ['.'],
    seed: 1,
  });
  await streamText({ model, prompt: 'Count to 5' }).consumeStream();
  // The library runs the tool and sends its output back.
  const weather = tool({
    description: 'Returns the weather of a city.',
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => `sunny in ${city}`,
  });
  await generateText({
    model,
    prompt: 'How is the weather in Rome?',
    tools: { weather },
    stopWhen: stepCountIs(2),
  });
  // The reference may not return structured output, which does not matter here: only the request is judged.
  const schema = z.object({ name: z.string() });
  await generateObject({ model, schema, prompt: 'Name a colour as JSON.' }).catch(() => null);
  await generateText({ model: openai.completion('text-base'), prompt: 'Count to 5', maxOutputTokens: 20 });
  await streamText({
    model: openai.completion('text-base'),
    prompt: 'Count to 5',
    maxOutputTokens: 20,
  }).consumeStream();
  await useMedia(openai);
}

async function useMedia(openai: ReturnType<typeof createOpenAI>): Promise<void> {
  await generateImage({ model: openai.image('image-3'), prompt: 'a cat', size: '1024x1024' });
  const { audio } = await experimental_generateSpeech({
    model: openai.speech('tts-1'),
    text: 'The quick brown fox.',
    voice: 'nova',
  });
  await experimental_transcribe({ model: openai.transcription('transcribe-1'), audio: audio.uint8Array });
}
