"""Names by number, made when first asked for."""
known = {}


def make_name(number):
    return f"request-{number:08d}-" + "x" * 200


def name_of(number):
    name = known.get(number)
    if name is None:
        name = known[number] = make_name(number)
    return name
