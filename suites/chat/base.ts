import { baseRequest, type ReadyRequest } from '../generate/requests.ts';
import { dataUrl, pngFile } from '../generate/sample-files.ts';

const imageParts = ['body.messages[].content(array)[image_url]*'];

export const createChatCompletion = baseRequest({
  operation: 'createChatCompletion',
  ready: (context) => ready(context.model('chat')),
});

/** Parts of a message with an image, which only a vision model accepts. */
export const createChatCompletionWithImages = baseRequest({
  operation: 'createChatCompletion',
  roles: ['vision'],
  only: imageParts,
  ready: (context) => ready(context.model('vision')),
});

function ready(model: string): ReadyRequest {
  const url = dataUrl(pngFile('square.png', { width: 32, height: 32 }));
  return {
    fields: { model },
    samples: {
      'messages[].content(array)[image_url]': () => ({ type: 'image_url', image_url: { url } }),
      'messages[].content(array)[image_url].image_url': () => ({ url }),
    },
  };
}
