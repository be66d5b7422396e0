// A model inside an address: deflated, in the letters an address may have, behind the #, so that no server is ever sent it.

const MARK = "#model=";

async function through(bytes, stream) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

/** The text as base64url of its deflated form. */
export async function packed(text) {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  let letters = "";
  for (let k = 0; k < bytes.length; k += 8192) letters += String.fromCharCode(...bytes.subarray(k, k + 8192));
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The text again; at most `limit` bytes of it, for a short address may unfold to gigabytes. */
export async function unpacked(letters, limit = 1e6) {
  const bytes = Uint8Array.from(atob(letters.replaceAll("-", "+").replaceAll("_", "/")), each => each.charCodeAt(0));
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > limit) {
      await reader.cancel();
      throw new Error(`The model in this link is longer than ${limit / 1e6} MB.`);
    }
    parts.push(value);
  }
  return new TextDecoder("utf-8", { fatal: true }).decode(await new Blob(parts).arrayBuffer());
}

/** The address of this page with the model in it. */
export async function linkOf(text) {
  return location.origin + location.pathname + MARK + await packed(text);
}

/** The text of the model in this address, null where there is none; a broken one is an error with a sentence. */
export async function textOf(hash, limit) {
  if (!hash.startsWith(MARK)) return null;
  try {
    return await unpacked(hash.slice(MARK.length), limit);
  } catch (error) {
    const why = error.message.startsWith("The model") ? error.message : "The model in this link cannot be read: a part of the link may be missing.";
    throw new Error(`${why} Ask for the link once more, or for the file.`);
  }
}
