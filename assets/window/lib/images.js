// Images for a prompt: read from what is pasted or dropped, and held in memory alone. A
// Blob of the browser's own may come to its profile, so the bytes are held as text.
const kinds = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

// The server's limits (chat.MaxImage and its like), which a page tells before it reads.
const most = { each: 4 * 2 ** 20, all: 8 * 2 ** 20, count: 20 };

// hasFiles reports whether something pasted or dropped is files, and not text that also
// comes as a picture, as from a spreadsheet.
export const hasFiles = (transfer) => transfer.types.includes('Files') && !transfer.types.includes('text/plain');

// size is a number of bytes in words.
export const size = (bytes) => (bytes < 1e6 ? `${Math.max(1, Math.round(bytes / 1e3))} kB` : `${(bytes / 1e6).toFixed(1)} MB`);

const base64 = (file) => new Promise((resolve, reject) => {
  const reader = new FileReader();
  reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(',') + 1));
  reader.onerror = () => reject(reader.error);
  reader.readAsDataURL(file);
});

// edge is the longer side of a thumbnail in pixels.
export const edge = 64;

// thumbnail is a file's picture as it is shown: a whole one is 4 bytes a pixel.
async function thumbnail(file) {
  const whole = await createImageBitmap(file);
  const scale = edge / Math.max(whole.width, whole.height);
  const side = (length) => Math.max(1, Math.round(length * scale));
  const small = await createImageBitmap(whole, { resizeWidth: side(whole.width), resizeHeight: side(whole.height), resizeQuality: 'medium' });
  whole.close();
  return small;
}

let last = 0; // key of an image

// add reads files, and returns the images with them, and why one is not among them.
export async function add(images, files) {
  const all = [...images];
  let error = '';
  for (const file of files) {
    const total = all.reduce((sum, image) => sum + image.size, file.size);
    if (!kinds.includes(file.type)) {
      error = 'Only PNG, JPEG, GIF and WebP can be sent.';
    } else if (file.size > most.each) {
      error = 'An image of more than 4 MB cannot be sent. Make it smaller.';
    } else if (all.length >= most.count || total > most.all) {
      error = 'A prompt takes at most 20 images, of 8 MB together.';
    } else {
      try {
        all.push({ key: ++last, picture: await thumbnail(file), data: await base64(file), size: file.size });
      } catch {
        error = 'An image could not be read.';
      }
    }
  }
  return { images: all, error };
}
