import { AnnotationMode, getDocument, type PDFDocumentProxy, VerbosityLevel } from 'pdfjs-dist/legacy/build/pdf.mjs';
// It reads in this thread too: it is ended as one, and what a PDF makes slow is slow here.
import 'pdfjs-dist/legacy/build/pdf.worker.mjs';
import dingbats from 'pdfjs-dist/standard_fonts/FoxitDingbats.pfb?url';
import symbols from 'pdfjs-dist/standard_fonts/FoxitSymbol.pfb?url';
import { answerWith } from './answering.ts';

/**
 * The worker that reads and draws a stranger's PDF. It has no page, so nothing in one can reach the page: what comes out is
 * a picture, or the words. No script in it runs, no link can be followed, nothing is sent, and a form shows what it has.
 */

/** Pictures in it with more points are left out. */
const mostImagePoints = 16_000_000;
/** A page may say of itself that it is as large as a field. */
const mostPoints = 8_000_000;
const mostPagePx = 8_000;
const mostTextChars = 200_000;

/** What each character map of a script is called there, and where it is here. */
const characterMaps: Record<string, string> = Object.fromEntries(
  Object.entries<string>(
    import.meta.glob('../../../../node_modules/pdfjs-dist/cmaps/*.bcmap', {
      query: '?url',
      import: 'default',
      eager: true,
    }),
  ).map(([path, address]) => [path.split('/').at(-1), address]),
);

/** Signs that systems have in no font; letters they have. */
const fonts: Record<string, string> = { 'FoxitDingbats.pfb': dingbats, 'FoxitSymbol.pfb': symbols };

class OurFiles {
  async fetch({ filename }: { filename: string }): Promise<Uint8Array> {
    const address = characterMaps[filename] ?? fonts[filename];
    if (address === undefined) throw new Error(`There is no ${filename} here.`);
    return new Uint8Array(await (await fetch(address)).arrayBuffer());
  }
}

type Context = OffscreenCanvasRenderingContext2D;

/** The canvases that it draws on, as pdf.js asks for them. */
class Canvases {
  create(width: number, height: number) {
    if (!(width > 0 && height > 0)) throw new Error('A canvas has a size.');
    const canvas = new OffscreenCanvas(width, height);
    return { canvas, context: canvas.getContext('2d', { willReadFrequently: true }) };
  }
  getNoAlphaContext(canvas: OffscreenCanvas): Context {
    return canvas.getContext('2d', { alpha: false, willReadFrequently: true }) as Context;
  }
  reset({ canvas }: { canvas: OffscreenCanvas }, width: number, height: number): void {
    canvas.width = width;
    canvas.height = height;
  }
  destroy({ canvas }: { canvas: OffscreenCanvas }): void {
    canvas.width = 0;
    canvas.height = 0;
  }
}

/** Filters of a page's own, which there is none of here; pdf.js then reckons them itself. */
class NoFilters {
  addFilter = none;
  addHCMFilter = none;
  addAlphaFilter = none;
  addLuminosityFilter = none;
  addKnockoutFilter = none;
  addHighlightHCMFilter = none;
  addSelectionHCMFilter = none;
  destroy(): void {}
}

function none(): string {
  return 'none';
}

let pdf: PDFDocumentProxy | null = null;

const failures: Record<string, string> = {
  PasswordException: 'This PDF is locked with a password. Download it to open it.',
};

const answers = {
  /** Number of its pages, as it says. */
  open: async (content: ArrayBuffer): Promise<number> => {
    const opening = getDocument({
      data: new Uint8Array(content),
      // What has fonts is the worker itself; a browser in which it has none gets letters that are drawn as shapes.
      ownerDocument: self as unknown as HTMLDocument,
      disableFontFace: !('fonts' in self),
      CanvasFactory: Canvases,
      FilterFactory: NoFilters,
      BinaryDataFactory: OurFiles,
      disableWorkerRendering: true,
      useWorkerFetch: false,
      // The policy of the dashboard lets no WebAssembly run.
      useWasm: false,
      enableXfa: false,
      maxImageSize: mostImagePoints,
      verbosity: VerbosityLevel.ERRORS,
    });
    try {
      pdf = await opening.promise;
    } catch (error) {
      throw new Error(
        failures[(error as Error).name] ?? 'This is no PDF that can be read here. Download it to see it.',
      );
    }
    return pdf.numPages;
  },
  /** A page so many pixels wide, or as many as may be. */
  draw: async (number: number, width: number): Promise<ImageBitmap> => {
    const page = await pageOf(number);
    const whole = page.getViewport({ scale: 1 });
    const fitting = Math.min(width, mostPagePx) / whole.width;
    const most = Math.min(mostPagePx / whole.height, Math.sqrt(mostPoints / (whole.width * whole.height)));
    const viewport = page.getViewport({ scale: Math.min(fitting, most) });
    const canvas = new OffscreenCanvas(
      Math.max(1, Math.floor(viewport.width)),
      Math.max(1, Math.floor(viewport.height)),
    );
    await page.render({
      canvas: canvas as unknown as HTMLCanvasElement,
      viewport,
      annotationMode: AnnotationMode.ENABLE,
    }).promise;
    page.cleanup();
    return canvas.transferToImageBitmap();
  },
  /** The words of a page, in its lines. */
  words: async (number: number): Promise<string> => {
    const { items } = await (await pageOf(number)).getTextContent();
    const text = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join('');
    return text.slice(0, mostTextChars);
  },
};

export type PdfAnswers = typeof answers;

async function pageOf(number: number) {
  if (pdf === null) throw new Error('No PDF is open.');
  return pdf.getPage(number);
}

answerWith(answers);
