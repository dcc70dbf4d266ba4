import OpenAI, { toFile } from 'openai';

const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Tells the weather of a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
} as const; // as: the client's types want the literal

/** A complete session with an assistant: a file, a vector store, a thread, a streamed run with a tool, and cleanup. */
export async function assistantSession(baseURL: string, apiKey: string): Promise<unknown[]> {
  const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 });
  const { files, beta } = client;
  const seen: unknown[] = [];
  const see = <T>(value: T): T => {
    seen.push(value);
    return value;
  };
  const content = Buffer.from('# Menu\n\nCrêpes, soup of the day, and tea.\n');
  const file = see(
    await files.create({
      file: await toFile(content, 'menu.md', { type: 'text/markdown' }),
      purpose: 'assistants',
    }),
  );
  const store = see(
    // as: the client's types have other members of `expires_after`
    await beta.vectorStores.create({ name: 'Menus', expires_after: { duration: 86_400 } as never }),
  );
  see(await beta.vectorStores.files.createAndPoll(store.id, { file_id: file.id }));
  see(await beta.vectorStores.retrieve(store.id));
  const assistant = see(
    await beta.assistants.create({
      model: 'chat-large',
      name: 'Waiter',
      instructions: 'You tell guests about the menu and the weather.',
      tools: [{ type: 'file_search' }, weather],
      tool_resources: { file_search: { vector_store_ids: [store.id] } },
    }),
  );
  const thread = see(
    await beta.threads.create({ messages: [{ role: 'user', content: 'How is the weather in Rome?' }] }),
  );

  const first = beta.threads.runs.stream(thread.id, { assistant_id: assistant.id });
  for await (const event of first) see(event);
  const waiting = await first.finalRun();
  const calls = waiting.required_action?.submit_tool_outputs.tool_calls ?? [];
  const rest = beta.threads.runs.submitToolOutputsStream(thread.id, waiting.id, {
    tool_outputs: calls.map(({ id }) => ({ tool_call_id: id, output: 'Sunny, 27 °C' })),
  });
  for await (const event of rest) see(event);

  see((await beta.threads.messages.list(thread.id)).data);
  see((await beta.threads.runs.steps.list(thread.id, waiting.id)).data);
  see(await beta.threads.del(thread.id));
  see(await beta.assistants.del(assistant.id));
  see(await beta.vectorStores.del(store.id));
  see(await files.del(file.id));
  return seen;
}
