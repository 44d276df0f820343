"""Makes a heap snapshot of V8 small.

The snapshot of the smallest program has 4 MB, most of it code and texts of Node itself. The search for
holders goes through objects, arrays, closures and contexts, and names closures by the scripts of the program.
A report is the same without the rest, which tests/golden/record checks.
"""
import json

LEFT_OUT = {"code", "object shape", "string", "concatenated string", "sliced string", "symbol", "regexp",
            "number", "bigint"}


class Texts:
    """The texts that are still used, numbered again."""

    def __init__(self, old):
        self.old, self.new, self.list = old, {}, []

    def number(self, at):
        if at not in self.new:
            self.new[at] = len(self.list)
            self.list.append(self.old[at])
        return self.new[at]


def rows(flat, width):
    return [flat[at:at + width] for at in range(0, len(flat), width)]


class Heap:
    def __init__(self, snapshot):
        meta = snapshot["snapshot"]["meta"]
        self.kinds, self.links = meta["node_types"][0], meta["edge_types"][0]
        self.name, self.count = meta["node_fields"].index("name"), meta["node_fields"].index("edge_count")
        self.width, self.strings = len(meta["node_fields"]), snapshot["strings"]
        self.nodes, edges, first = rows(snapshot["nodes"], self.width), rows(snapshot["edges"], 3), 0
        self.edges = []  # of each node
        for node in self.nodes:
            self.edges.append([edge for edge in edges[first:first + node[self.count]] if self.is_way(edge)])
            first += node[self.count]
        self.locations = rows(snapshot["locations"], len(meta["location_fields"]))

    def is_way(self, edge):
        """Every object points to its class and its shape; a report names no holder by these."""
        return self.links[edge[0]] != "weak" and (self.is_numbered(edge)
                                                  or self.strings[edge[1]] not in ("__proto__", "map"))

    def is_numbered(self, edge):
        return self.links[edge[0]] in ("element", "hidden")

    def targets(self, at, label):
        """The nodes that internal edges with this name lead to."""
        return [edge[2] // self.width for edge in self.edges[at] if self.links[edge[0]] == "internal"
                and self.strings[edge[1]].startswith(label)]

    def name_of(self, at):
        return self.strings[self.nodes[at][self.name]]

    def own_code(self, folder):
        """{closure of the program: the nodes that name its function and its variables}."""
        own = {}
        for at, node in enumerate(self.nodes):
            for shared in self.targets(at, "shared") if self.kinds[node[0]] == "closure" else ():
                scripts = [s for s in self.targets(shared, "script") if self.name_of(s).startswith(folder)]
                if scripts:
                    scopes = [scope for context in self.targets(at, "context")
                              for scope in self.targets(context, "scope_info")]
                    names = [edge[2] // self.width for scope in scopes for edge in self.edges[scope]]
                    own[at] = {shared, *scripts, *scopes, *names}
        return own


def prune(path, folder):
    """Makes a snapshot small. `folder` is where the program's own scripts lie."""
    snapshot = json.loads(path.read_text())
    heap = Heap(snapshot)
    own, width = heap.own_code(folder), heap.width
    found = {at for at, node in enumerate(heap.nodes) if heap.kinds[node[0]] not in LEFT_OUT}
    kept = {at: new for new, at in enumerate(sorted(found.union(*own.values())))}
    texts, nodes, edges = Texts(heap.strings), [], []
    for at in kept:
        mine = [edge for edge in heap.edges[at] if edge[2] // width in kept]
        node = list(heap.nodes[at])
        node[heap.name], node[heap.count] = texts.number(node[heap.name]), len(mine)
        nodes += node
        for edge in mine:
            label = edge[1] if heap.is_numbered(edge) else texts.number(edge[1])
            edges += [edge[0], label, kept[edge[2] // width] * width]
    locations = [[kept[place[0] // width] * width, *place[1:]] for place in heap.locations
                 if place[0] // width in own]
    snapshot.update(nodes=nodes, edges=edges, strings=texts.list,
                    locations=[number for place in locations for number in place])
    snapshot["snapshot"].update(node_count=len(kept), edge_count=len(edges) // 3)
    path.write_text(json.dumps(snapshot, separators=(",", ":")))
