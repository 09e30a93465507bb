/** Implements screenshot, pdf, addScriptTag and addStyleTag. */
import { parseValue } from '../../../base/schema/parse.ts';
import { pdfOptions, toInches } from '../../../base/schema/request/pdf-options.ts';
import { screenshotOptions } from '../../../base/schema/request/screenshot-options.ts';
import { captureBase64 } from '../../../browser/page/capture/capture.ts';
import { callOn, releaseHandles } from '../../../browser/page/act/elements.ts';
import { withRetry } from '../../../browser/page/evaluate.ts';
import { imagesComplete } from '../../../browser/injected/document.ts';
import { printToPdf } from '../../../browser/page/capture/pdf.ts';
import { addScriptTags, addStyleTags } from '../../../browser/page/load/tags.ts';
import { findElement } from '../find/find-elements.ts';
import { boxOf } from '../../../browser/injected/element.ts';
import { type Maybe, operation, type StepCall } from '../run/operation.ts';
import { withoutNulls } from '../run/records.ts';
import { clickPointOf, onPage } from '../find/click-point.ts';
import { badArgument, StepError } from '../run/step-error.ts';
import { toBase64 } from '../../../base/runtime/bytes.ts';

/** The other arguments are the options of POST /screenshot. */
interface ScreenshotArgs {
  clip?: Maybe<Record<string, unknown>>;
  selector?: Maybe<string>;
  waitForImages?: Maybe<boolean>;
  timeout?: Maybe<number>;
}

async function images({ args, step, page }: StepCall<{ waitForImages?: Maybe<boolean> }>): Promise<void> {
  if (args.waitForImages !== true) return;
  step.setTimeoutReason('TIMEOUT', 'an image on the page has not loaded.');
  await step.until(async () => {
    return (await withRetry(page, () => page.evaluate(imagesComplete))) ? true : undefined;
  });
  step.setTimeoutReason('TIMEOUT', 'raise its "timeout".');
}

export const screenshot = operation<ScreenshotArgs>({
  async run(call) {
    const { args, page, step } = call;
    // The step has its own limit.
    const { selector, clip, waitForImages: _, timeout: _limit, ...rest } = args;
    const options = parseValue(
      screenshotOptions,
      withoutNulls({ ...rest, clip: clip ? { x: 0, y: 0, ...withoutNulls(clip) } : undefined }),
      'invalid-body',
      'screenshot',
    );
    const format = options.type ?? 'png';
    if (typeof selector === 'string' && options.fullPage) {
      throw badArgument('"selector" cannot be used together with "fullPage"; leave one of them out.');
    }
    await images(call);
    if (typeof selector !== 'string') return { base64: await captureBase64(page, options), format };
    const element = await findElement(step, selector);
    const middle = await clickPointOf(step, element, selector, { scroll: true, wait: true, hitTest: false });
    try {
      const { width, height } = await callOn(page, element, boxOf);
      const { x, y } = await onPage(page, middle);
      const box = { x: x - width / 2, y: y - height / 2, width, height };
      return { base64: await captureBase64(page, options, box), format };
    } finally {
      releaseHandles([element.frame]);
    }
  },
});

type Length = Maybe<number | string>;

/** The other arguments are options of POST /pdf. */
interface PdfArgs {
  generateDocumentOutline?: Maybe<boolean>;
  generateTaggedPDF?: Maybe<boolean>;
  width?: Length;
  height?: Length;
  marginTop?: Length;
  marginBottom?: Length;
  marginLeft?: Length;
  marginRight?: Length;
  transferMode?: Maybe<string>;
  waitForImages?: Maybe<boolean>;
}

const defaultMargin = '0.4in';

/**
 * Converts a length. A number means inches here, but CSS pixels in the REST routes.
 * @throws StepError `BAD_ARGUMENT` that names the argument
 */
function inches(name: keyof PdfArgs, args: PdfArgs): string | undefined {
  const length = args[name];
  if (length === null || length === undefined) return undefined;
  const text = typeof length === 'number' ? `${length}in` : String(length);
  if (toInches(text) !== undefined) return text;
  throw badArgument(
    `"${name}" must be 0 or greater: a number of inches, or text with px, in, cm or mm such as "10cm", got ${JSON.stringify(length).slice(0, 40)}.`,
  );
}

export const pdf = operation<PdfArgs>({
  async run(call) {
    const { args, page, session } = call;
    const {
      generateDocumentOutline: outline,
      generateTaggedPDF: tagged,
      transferMode,
      waitForImages: _,
      ...rest
    } = args;
    const { marginTop: _top, marginBottom: _bottom, marginLeft: _left, marginRight: _right, ...same } = rest;
    if (typeof transferMode === 'string' && !['ReturnAsStream', 'ReturnAsBase64'].includes(transferMode)) {
      throw badArgument('"transferMode" must be "ReturnAsStream" or "ReturnAsBase64".');
    }
    const given = withoutNulls({
      ...same,
      outline,
      tagged,
      width: inches('width', args),
      height: inches('height', args),
      margin: {
        top: inches('marginTop', args) ?? defaultMargin,
        bottom: inches('marginBottom', args) ?? defaultMargin,
        left: inches('marginLeft', args) ?? defaultMargin,
        right: inches('marginRight', args) ?? defaultMargin,
      },
      // The step has its own limit.
      timeout: 0,
    });
    const options = parseValue(pdfOptions, given, 'invalid-body', 'pdf');
    await images(call);
    const printed = await printToPdf(page, options);
    const bytes =
      printed instanceof Uint8Array ? printed : await page.until(readAll(printed, session.environment.responseLimit));
    return { base64: toBase64(bytes), size: bytes.length };
  },
});

/** @param limit limit in bytes, 0 for none */
async function readAll(stream: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (limit > 0 && size > limit) {
      throw new StepError(
        'ANSWER_TOO_LARGE',
        `The PDF is larger than ${limit / 2 ** 20} MB (MAX_ANSWER_MB). Print fewer pages with "pageRanges", or use POST /pdf, which streams it.`,
      );
    }
    chunks.push(new Uint8Array(chunk));
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

interface TagArgs {
  url?: Maybe<string>;
  content?: Maybe<string>;
  type?: Maybe<string>;
  id?: Maybe<string>;
}

/** Builds a tag from the given arguments; checks its URL and makes it absolute. */
function tagOf({ args, session, info }: StepCall<TagArgs>) {
  const { url, content, type, id } = args;
  if ((typeof url === 'string') === (typeof content === 'string')) {
    throw badArgument(`"${info.fieldName}" needs either "url" or "content".`);
  }
  const address = typeof url === 'string' ? session.environment.checkUrl(url, 'url').href : undefined;
  return withoutNulls({ url: address, content, type, id });
}

export const addScriptTag = operation<TagArgs>({
  acts: true,
  async run(call) {
    await addScriptTags(call.page, [tagOf(call)]);
    return {};
  },
});

export const addStyleTag = operation<TagArgs>({
  async run(call) {
    await addStyleTags(call.page, [tagOf(call)]);
    return {};
  },
});
