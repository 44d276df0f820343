"""An asyncio server on a socket, with clients in the same loop."""
import asyncio
import os
import tempfile


async def handle(reader, writer):
    while True:
        line = await reader.readline()
        if not line:
            break
        writer.write(line.upper())
        await writer.drain()
    writer.close()


async def ask(path, words):
    reader, writer = await asyncio.open_unix_connection(path)
    letters = 0
    for word in words:
        writer.write(word.encode() + b"\n")
        letters += len(await reader.readline())
    writer.close()
    await writer.wait_closed()
    return letters


async def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "socket")
        server = await asyncio.start_unix_server(handle, path)
        letters = 0
        for turn in range(200):
            words = [f"turn{turn}-" + "ab" * 400 for _ in range(3)]
            letters += sum(await asyncio.gather(*(ask(path, words) for _ in range(4))))
            await asyncio.sleep(0.012)
        server.close()
        await server.wait_closed()
    print(letters)


if __name__ == "__main__":
    asyncio.run(main())
