// Holds what our reader found (ours.json) against a second parser, file by file.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gguf, GGMLQuantizationType } from "@huggingface/gguf";

const folder = process.argv[2];
const ours = JSON.parse(readFileSync(join(folder, "ours.json"), "utf8"));
let wrong = 0;
let compared = 0;
const say = (file, text) => {
  wrong += 1;
  console.error(`${file}: ${text}`);
};
const plain = (v) => (typeof v === "bigint" ? Number(v) : v);

for (const [file, mine] of Object.entries(ours)) {
  let theirs;
  try {
    theirs = await gguf(join(folder, file), { allowLocalFile: true });
  } catch (error) {
    console.log(`${file}: the other parser does not read it (${String(error).slice(0, 60)})`);
    continue;
  }
  if (theirs.metadata.version !== mine.version) say(file, `version ${theirs.metadata.version}`);
  for (const [key, value] of Object.entries(mine.keys)) {
    const other = theirs.metadata[key];
    if (value !== null && typeof value === "object") {
      if (other?.length !== value.count) say(file, `${key}: ${other?.length} entries`);
    } else if (plain(other) !== value) {
      say(file, `${key}: ${String(other)}, ours ${value}`);
    }
    compared += 1;
  }
  if (theirs.tensorInfos.length !== mine.tensors.length) say(file, "another number of tensors");
  for (const [i, [name, shape, format]] of mine.tensors.entries()) {
    const other = theirs.tensorInfos[i];
    const type = GGMLQuantizationType[other.dtype];
    if (other.name !== name) say(file, `tensor ${i} is ${other.name}, ours ${name}`);
    if (other.shape.map(plain).join() !== shape.join()) say(file, `${name}: ${other.shape}`);
    if (type !== undefined && type !== format) say(file, `${name}: ${type}, ours ${format}`);
    compared += 1;
  }
}
console.log(`parsers: ${compared} values compared in ${Object.keys(ours).length} files, ${wrong} differ`);
process.exit(wrong === 0 && compared > 200 ? 0 : 1);
