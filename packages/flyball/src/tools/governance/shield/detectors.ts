import {
  type InjectionDetector,
  type PatternDetector,
  phraseDetector,
  suspectOf,
  writtenDetector,
} from './detector.js';
import { overridesIn } from './override-phrases.js';
import { unpacked } from './unpacked-text.js';

/**
 * Our own list of tricks, each with how much one finding of it says. Quantifiers are bounded, because all of these run
 * over text of strangers. Single weak signs stay below the usual threshold: chat logs and web pages are full of them.
 */
const overrides: PatternDetector = {
  id: 'instruction-override',
  weight: 0.6,
  find: ({ folded, latin }) =>
    (folded.text === latin.text ? [folded] : [folded, latin]).flatMap((form) =>
      overridesIn(form).map(({ start, end }) => form.span(start, end)),
    ),
};

const takeover = phraseDetector('role-takeover', 0.45, [
  /\byou are (?:now|no longer) (?:an? |the |in |bound|my )?[a-z]{2,20}/g,
  /\bfrom (?:now|this point|here) on(?:,| )\s{0,3}(?:you|act|respond|answer|always|only)\b/g,
  /\b(?:new|updated|real|actual|important|urgent) (?:system )?(?:instructions?|directives?|task|orders?)\s{0,3}(?::|follow|are\b)/g,
  /\b(?:developer|debug|god|admin|jailbreak|dan|unrestricted) mode\b/g,
  /\bpretend (?:to be|you are|that you)\b|\bact as (?:if you|an? (?:unrestricted|unfiltered|different))/g,
]);

const disclosure = phraseDetector('prompt-disclosure', 0.5, [
  /\b(?:reveal|print|show|repeat|output|leak|disclose|display|recite)\b[^.\n]{0,40}\b(?:system prompt|your (?:prompt|instructions|rules)|hidden (?:prompt|instructions))/g,
]);

const errand = phraseDetector('exfiltration-errand', 0.5, [
  /\b(?:send|e-?mail|forward|post|upload|transmit|exfiltrate|deliver|leak)\b[^.\n]{0,80}\b(?:passwords?|api[ _-]?keys?|secrets?|credentials?|tokens?|private keys?|ssh keys?|inbox|environment variables?|the key)\b/g,
  /\b(?:without|don't|do not|never) (?:telling|tell|inform(?:ing)?|notify(?:ing)?|mention(?:ing)?|alert(?:ing)?)\b[^.\n]{0,30}\b(?:the )?(?:user|human|operator|anyone)\b/g,
]);

const roles = phraseDetector('role-marker', 0.25, [
  /(?:^|\n)[ \t>#*]{0,8}(?:system|assistant|developer|human|user)[ \t*]{0,4}:/g,
  /(?:^|\n)[ \t]{0,4}#{1,6}[ \t]{0,4}(?:system|instructions?|new instructions?|assistant)\b/g,
]);

const templates = phraseDetector('chat-template', 0.6, [
  /<\|[ ]{0,2}(?:im_start|im_end|im_sep|system|user|assistant|end|endoftext|start_header_id|end_header_id|eot_id|begin_of_text|tool|channel|message)[ ]{0,2}\|>/g,
  /\[\/?inst\]|<<\/?sys>>|<\/?(?:system|system_prompt|assistant|instructions?|human)>|<(?:start|end)_of_turn>|\[\/?(?:system|available_tools|tool_results)\]/g,
]);

const calls = phraseDetector('tool-call-lookalike', 0.5, [
  /<\/?(?:tool_calls?|function_calls?|invoke|tool_use|tool_response|function_results?)\b[^>\n]{0,80}>/g,
  /"(?:tool_calls?|function_call)"\s{0,4}:|\{\s{0,4}"name"\s{0,4}:\s{0,4}"[^"\n]{1,80}"\s{0,4},\s{0,4}"(?:arguments|parameters|input)"\s{0,4}:/g,
  /```\s{0,3}(?:tool_code|tool_call|function_call)\b/g,
]);

const invisible = writtenDetector('invisible-characters', 0.4, [
  /[\u202a-\u202e\u2066-\u2069]/g, // text that is shown in another order than it is read
  /(?<=\p{Script=Latin})[\u00ad\u200b-\u200d\u2060-\u2064\ufeff]{1,50}(?=\p{Script=Latin})/gu, // splits Latin words only
]);

/** Copies of ASCII that no font shows; after a black flag they make the flag of a region. */
const hidden = writtenDetector('hidden-ascii', 0.6, [
  /(?<![\u{1f3f4}\u{e0020}-\u{e007f}])[\u{e0020}-\u{e007f}]{1,2000}/gu,
]);

/** Words of two scripts that look like one. Greek letters beside Latin ones are how units and formulas are written. */
const lookalikes = writtenDetector('lookalike-letters', 0.35, [
  /\p{Script=Latin}{1,40}\p{Script=Cyrillic}[\p{Script=Latin}\p{Script=Cyrillic}]{0,40}/gu,
  /\p{Script=Cyrillic}{1,40}\p{Script=Latin}[\p{Script=Latin}\p{Script=Cyrillic}]{0,40}/gu,
]);

/** An image is fetched without a click: what stands in its address has left. */
const images: PatternDetector = {
  id: 'image-exfiltration',
  weight: 0.4,
  find: ({ original }) =>
    [
      /!\[[^\]\n]{0,300}\]\(\s{0,4}(https?:\/\/[^\s)]{1,4000})\)?/gi,
      /<img\b[^>]{0,300}?\bsrc\s{0,3}=\s{0,3}["']?(https?:\/\/[^\s"'>]{1,4000})[^>]{0,300}>?/gi,
    ]
      .flatMap((pattern) => [...original.matchAll(pattern)])
      .filter(([, address]) => carriesData(address ?? ''))
      .map(({ 0: found, index }) => ({ start: index, end: index + found.length })),
};

/** A long value in the query, or a place left open to be filled in. */
function carriesData(address: string): boolean {
  const query = address.slice(address.indexOf('?') + 1);
  if (!address.includes('?')) return false;
  return (
    /[{[<$]|%7b|%5b/i.test(query) || query.split('&').some((pair) => pair.slice(pair.indexOf('=') + 1).length >= 24)
  );
}

/** Single letters with something between them: `i g n o r e`. Read together, then looked at like the rest. */
const spaced: PatternDetector = {
  id: 'spaced-letters',
  weight: 0.6,
  find: ({ original }) =>
    [...original.matchAll(/(?<![\p{L}\p{N}])\p{L}(?:[ \t._*-]{1,3}\p{L}(?![\p{L}\p{N}])){9,400}/gu)].flatMap(
      ({ 0: found, index }) => {
        const words = found.split(/[ \t._*-]{2,3}/).map((word) => word.replace(/[ \t._*-]/g, ''));
        const joined = suspectOf(words.length > 1 ? words.join(' ') : found.replace(/[ \t._*-]/g, ''));
        const reads =
          overrides.find(joined).length > 0 || /ignore.{0,10}(?:previous|prior|all|above)/.test(joined.latin.text);
        return reads ? [{ start: index, end: index + found.length }] : [];
      },
    ),
};

const PLAIN: readonly PatternDetector[] = [overrides, takeover, disclosure, errand, templates, calls];

/** The same tricks, packed so that a filter does not see them and a model does. */
const packed: PatternDetector = {
  id: 'encoded-instructions',
  weight: 0.8,
  find: ({ original }) =>
    unpacked(original).filter(({ text }) => {
      const suspect = suspectOf(text);
      return PLAIN.some((detector) => detector.find(suspect).length > 0);
    }),
};

/** The detectors that screen text for prompt injections. */
export const INJECTION_DETECTORS: readonly InjectionDetector[] = [
  ...PLAIN,
  roles,
  invisible,
  hidden,
  lookalikes,
  images,
  spaced,
  packed,
];
